//! The type files that authors of modules put beside their code.

/// Name and content of each file.
pub const FILES: [(&str, &str); 2] = [
    ("toolscout.d.ts", include_str!("shims/toolscout.d.ts")),
    ("toolscout.pyi", include_str!("shims/toolscout.pyi")),
];
