//! Asynchronous standard input and output.

use tokio::io::{AsyncRead, AsyncWrite};

/// The stream of the client's messages.
pub(super) type Input = Box<dyn AsyncRead + Send + Unpin>;
/// The stream of our messages.
pub(super) type Output = Box<dyn AsyncWrite + Send + Unpin>;

/// Standard input and output. Pipes and sockets, which clients use, are polled by the runtime; a
/// terminal or a file is read and written by its own threads.
pub(super) fn standard() -> (Input, Output) {
    #[cfg(unix)]
    let (input, output) = (unix::input(), unix::output());
    #[cfg(not(unix))]
    let (input, output) = (None, None);
    (
        input.unwrap_or_else(|| Box::new(tokio::io::stdin())),
        output.unwrap_or_else(|| Box::new(tokio::io::stdout())),
    )
}

#[cfg(unix)]
mod unix {
    use super::{Input, Output};
    use rustix::fs::{FileType, fstat};
    use std::fs::File;
    use std::os::fd::{AsFd, OwnedFd};
    use std::os::unix::net::UnixStream as StdStream;
    use tokio::net::UnixStream;
    use tokio::net::unix::pipe;

    pub(super) fn input() -> Option<Input> {
        let fd = std::io::stdin().as_fd().try_clone_to_owned().ok()?;
        match kind(&fd)? {
            FileType::Fifo => Some(Box::new(pipe::Receiver::from_file(File::from(fd)).ok()?)),
            FileType::Socket => Some(Box::new(stream(fd)?)),
            _ => None,
        }
    }

    pub(super) fn output() -> Option<Output> {
        let fd = std::io::stdout().as_fd().try_clone_to_owned().ok()?;
        match kind(&fd)? {
            FileType::Fifo => Some(Box::new(pipe::Sender::from_file(File::from(fd)).ok()?)),
            FileType::Socket => Some(Box::new(stream(fd)?)),
            _ => None,
        }
    }

    fn kind(fd: &OwnedFd) -> Option<FileType> {
        Some(FileType::from_raw_mode(fstat(fd).ok()?.st_mode))
    }

    fn stream(fd: OwnedFd) -> Option<UnixStream> {
        let stream = StdStream::from(fd);
        stream.set_nonblocking(true).ok()?;
        UnixStream::from_std(stream).ok()
    }
}
