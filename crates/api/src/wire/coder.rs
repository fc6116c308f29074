//! Coder servers whose chats are read.

use super::KeyState;

wire! {
    /// A server whose chats are read.
    pub struct CoderServer {
        /// Its address.
        pub base_url: String,
        /// Where its token comes from.
        pub key_state: KeyState,
        /// Chats of it on this machine.
        pub chats: u64,
    }
}

wire! {
    /// Adds a server, or changes its token.
    pub struct CoderSaveRequest {
        /// Its address.
        pub base_url: String,
        /// The token, which goes into the OS keyring; absent: it stays.
        #[serde(default)]
        pub token: Option<String>,
    }
}

wire! {
    /// Names a server.
    pub struct CoderRequest {
        /// Its address.
        pub base_url: String,
    }
}

wire! {
    /// What reading a server gave.
    pub struct CoderReading {
        /// Chats that the server lists.
        pub chats: u64,
        /// Those that were new or had changed.
        pub updated: u64,
    }
}
