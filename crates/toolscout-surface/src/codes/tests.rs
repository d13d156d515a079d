//! Every surface responds to a kind of error as the table says.

use super::*;

#[test]
fn an_internal_error_is_status_500_and_exit_code_70() {
    let code = ErrorCode::from(ErrorKind::Internal);
    assert_eq!(code.status(), StatusCode::INTERNAL_SERVER_ERROR);
    assert_eq!((code.exit().code(), code.json_rpc()), (70, INTERNAL_ERROR));
}
