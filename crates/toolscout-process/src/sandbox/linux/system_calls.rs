//! System calls that a confined process may not make: the part of a policy that seccomp enforces.
//!
//! A denied call fails with EPERM, as it does without the privilege that it needs. Programs handle
//! that error; a filter that kills them would turn a probe into a crash.

use super::super::{NetworkAccess, SandboxPolicy};
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition,
    SeccompFilter, SeccompRule, TargetArch,
};
use std::collections::BTreeMap;

/// Calls that inspect other processes, change what the process sees of the system, or reach kernel
/// code that ordinary programs never use. `io_uring` makes calls that no filter sees.
const DENIED: &[i64] = &[
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_kcmp,
    libc::SYS_pidfd_getfd,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_mount_setattr,
    libc::SYS_fsopen,
    libc::SYS_fsmount,
    libc::SYS_fsconfig,
    libc::SYS_fspick,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_fanotify_init,
    libc::SYS_open_by_handle_at,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_kexec_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_syslog,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    // Shared memory, semaphores and message queues have names that all processes of a user share,
    // and are not files, so Landlock does not limit them.
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_semget,
    libc::SYS_semctl,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_msgget,
    libc::SYS_msgctl,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
];

/// Flags of `clone` that create namespaces, in which a process would be privileged.
const NAMESPACES: [i32; 7] = [
    libc::CLONE_NEWNS,
    libc::CLONE_NEWCGROUP,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
];

/// `ioctl` requests that type into the terminal of another process.
const TERMINAL_INPUT: [u64; 2] = [libc::TIOCSTI, 0x541C];

/// Calls with this bit use the x32 form of the x86-64 system calls.
const X32: i64 = 0x4000_0000;
/// Calls that have a number of their own in the x32 form, such as `ptrace`. No program of this form
/// starts without some of them.
const X32_CALLS: std::ops::Range<i64> = 512..548;
/// The bits of a socket's type that are not flags.
const SOCKET_TYPE: u64 = 0xf;

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// Whether filters exist for this machine.
pub(in super::super) fn is_supported() -> bool {
    TargetArch::try_from(std::env::consts::ARCH).is_ok()
        && std::path::Path::new("/proc/sys/kernel/seccomp").exists()
}

/// The filters of a policy; none on machines that the compiler does not know.
pub(super) fn filters(policy: &SandboxPolicy) -> Result<Vec<BpfProgram>, BackendError> {
    if !is_supported() {
        return Ok(Vec::new());
    }
    let mut rules: Rules = DENIED.iter().map(|call| (*call, Vec::new())).collect();
    for flag in NAMESPACES {
        add(&mut rules, libc::SYS_clone, vec![has_bits(0, flag as u64)?])?;
    }
    for request in TERMINAL_INPUT {
        add(&mut rules, libc::SYS_ioctl, vec![equal(1, request)?])?;
    }
    deny_sockets(&mut rules, &policy.network)?;
    if !policy.limits.shares_memory {
        let shared = (libc::MAP_SHARED | libc::MAP_ANONYMOUS) as u64;
        add(&mut rules, libc::SYS_mmap, vec![has_bits(3, shared)?])?;
        rules.insert(libc::SYS_memfd_create, Vec::new());
    }
    // Its flags are in memory, which a filter cannot read. Without this call programs use `clone`.
    let clone3 = Rules::from([(libc::SYS_clone3, Vec::new())]);
    Ok(vec![compile(rules, libc::EPERM)?, compile(clone3, libc::ENOSYS)?])
}

fn deny_sockets(rules: &mut Rules, network: &NetworkAccess) -> Result<(), BackendError> {
    let netlink = libc::AF_NETLINK as u64;
    // The list of network interfaces; other kinds of netlink change the system.
    let other_netlink = vec![equal(0, netlink)?, differs(2, libc::NETLINK_ROUTE as u64)?];
    match network {
        NetworkAccess::All => return Ok(()),
        NetworkAccess::None => {
            add(rules, libc::SYS_socket, vec![differs(0, netlink)?])?;
        }
        NetworkAccess::Ports(_) => {
            let (v4, v6) = (libc::AF_INET as u64, libc::AF_INET6 as u64);
            let other = [netlink, v4, v6].map(|family| differs(0, family));
            add(rules, libc::SYS_socket, other.into_iter().collect::<Result<_, _>>()?)?;
            // Landlock checks connections of plain TCP only, so other protocols are denied.
            let tcp_or_udp = [0, libc::IPPROTO_TCP, libc::IPPROTO_UDP];
            let mut protocols = vec![differs(0, netlink)?];
            for protocol in tcp_or_udp {
                protocols.push(differs(2, protocol as u64)?);
            }
            add(rules, libc::SYS_socket, protocols)?;
            // A message with this flag opens a connection that Landlock does not check.
            let fast_open = libc::MSG_FASTOPEN as u64;
            for (call, argument) in
                [(libc::SYS_sendto, 3), (libc::SYS_sendmsg, 2), (libc::SYS_sendmmsg, 3)]
            {
                add(rules, call, vec![has_bits(argument, fast_open)?])?;
            }
        }
    }
    // A datagram socket of a pair can send to every Unix socket of the machine.
    for kind in [libc::SOCK_DGRAM, libc::SOCK_RAW] {
        let is_kind = equal_masked(1, SOCKET_TYPE, kind.unsigned_abs().into())?;
        add(rules, libc::SYS_socketpair, vec![is_kind])?;
    }
    add(rules, libc::SYS_socket, other_netlink)
}

/// Denies a call if all conditions hold.
fn add(
    rules: &mut Rules,
    call: i64,
    conditions: Vec<SeccompCondition>,
) -> Result<(), BackendError> {
    rules.entry(call).or_default().push(SeccompRule::new(conditions)?);
    Ok(())
}

fn compile(mut rules: Rules, error: i32) -> Result<BpfProgram, BackendError> {
    if cfg!(target_arch = "x86_64") {
        let x32: Vec<_> = rules.iter().map(|(call, rules)| (call | X32, rules.clone())).collect();
        rules.extend(x32);
        rules.extend(X32_CALLS.map(|call| (call | X32, Vec::new())));
    }
    let arch = TargetArch::try_from(std::env::consts::ARCH)?;
    let action = SeccompAction::Errno(error.unsigned_abs());
    SeccompFilter::new(rules, SeccompAction::Allow, action, arch)?.try_into()
}

fn equal(argument: u8, value: u64) -> Result<SeccompCondition, BackendError> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, value)
}

fn differs(argument: u8, value: u64) -> Result<SeccompCondition, BackendError> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, value)
}

fn has_bits(argument: u8, bits: u64) -> Result<SeccompCondition, BackendError> {
    equal_masked(argument, bits, bits)
}

/// Whether the bits of the mask have this value.
fn equal_masked(argument: u8, mask: u64, value: u64) -> Result<SeccompCondition, BackendError> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::MaskedEq(mask), value)
}
