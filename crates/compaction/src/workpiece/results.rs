//! Results of tools as steps that clear them see them: by size, for a plan as for a policy's walk.

/// The result of a tool.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ToolResult<'a> {
    /// Its position in the context.
    pub at: usize,
    /// Its estimated tokens, as it is now.
    pub tokens: u64,
    /// The tool, by the name its agent gives it; empty where none is stored.
    pub tool: &'a str,
    /// True when a placeholder stands for it already.
    pub is_cleared: bool,
}

/// What is met on the way from the newest message of a context back.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Met<'a> {
    /// Something the user wrote.
    Prompt,
    /// The result of a tool.
    Result(ToolResult<'a>),
    /// Any other message.
    Other,
}
