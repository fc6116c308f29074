//! How the server behind a page is started again. Pure.

/** The command that serves the page at its own port; the port is empty at the one of http. */
export function serveCommand(port: string): string {
  return `palimpsest serve --port ${port === "" ? "80" : port}`;
}
