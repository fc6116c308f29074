//! Folders and files as editors store them: `file:` addresses.

/// The local path of a `file:` address; `None` for another address or a path.
pub(crate) fn path_of(address: &str) -> Option<String> {
    let rest = address.strip_prefix("file://")?;
    let mut bytes = Vec::with_capacity(rest.len());
    let mut at = rest.as_bytes();
    while let [first, tail @ ..] = at {
        let escaped = (*first == b'%').then(|| tail.get(..2)).flatten();
        let byte = escaped
            .and_then(|hex| std::str::from_utf8(hex).ok())
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        at = if byte.is_some() { &tail[2..] } else { tail };
    }
    let path = String::from_utf8_lossy(&bytes).into_owned();
    // `/c:/work` is a path of Windows.
    let drive = path.strip_prefix('/').filter(|rest| {
        let mut chars = rest.chars();
        chars.next().is_some_and(|c| c.is_ascii_alphabetic()) && chars.next() == Some(':')
    });
    Some(drive.map_or_else(|| path.clone(), str::to_owned))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_paths() {
        for (address, path) in [
            ("file:///home/ada/a%20b", Some("/home/ada/a b")),
            ("file:///c%3A/work", Some("c:/work")),
            ("file:///C:/work", Some("C:/work")),
            ("file:///50%", Some("/50%")),
            ("vscode-remote://ssh/w", None),
            ("/home/ada", None),
        ] {
            assert_eq!(path_of(address).as_deref(), path, "{address}");
        }
    }
}
