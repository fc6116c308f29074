//! FNV-1a: a hash that is fixed for good, unlike the standard library's, and fast enough for what is
//! read anyway. It guards against rewriting by agents, not against forgery.

/// The hash of no bytes.
const BEGIN: u64 = 0xcbf2_9ce4_8422_2325;

/// The hash of all bytes.
pub(crate) fn fnv(bytes: &[u8]) -> u64 {
    more(BEGIN, bytes)
}

/// The hash of several texts, told apart by a byte that none of them holds.
pub(crate) fn fnv_of<'t>(texts: impl IntoIterator<Item = &'t [u8]>) -> u64 {
    let texts = texts.into_iter();
    texts.fold(BEGIN, |hash, text| more(more(hash, text), &[0xff]))
}

fn more(hash: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(hash, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
