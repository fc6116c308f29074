//! What lies over the window, in the order in which it was opened: Escape closes the last one.

const layers: object[] = [];

/** Puts a panel or dialog above all others. Returns what takes it away. */
export function enter(layer: object): () => void {
  layers.push(layer);
  return () => {
    const at = layers.indexOf(layer);
    if (at >= 0) layers.splice(at, 1);
  };
}

/** True for what was opened last of all that is open. */
export function isTop(layer: object): boolean {
  return layers.at(-1) === layer;
}
