//! Sizes of the three panes, in CSS pixels.

export const LEFT_DEFAULT = 296;
/** Until the user chooses, the list takes this share of a wide window, up to a limit. */
const LEFT_SHARE = 0.19;
const LEFT_WIDE = 372;
/** In a window smaller than this the list shrinks first: the tree needs the space. */
const ROOMY = 1200;
const LEFT_TIGHT = 224;
/** Share of what the list leaves over. */
export const RIGHT_DEFAULT = 0.52;
/** Below this width three panes are no longer readable and one is shown at a time. */
export const NARROW = 860;

const LEFT_MIN = 200;
const MIDDLE_MIN = 300;
const RIGHT_MIN = 320;

export interface Panes {
  left: number;
  leftMin: number;
  leftMax: number;
  /** Width shared by the middle and the right pane. */
  rest: number;
  right: number;
  rightMin: number;
  rightMax: number;
}

/** Fits the wanted sizes into a window: what the user chose comes back when it grows again. */
export function widths(window: number, left: number, share: number): Panes {
  const leftMax = Math.max(LEFT_MIN, Math.min(window * 0.4, window - MIDDLE_MIN - RIGHT_MIN));
  const roomy =
    window < ROOMY
      ? Math.max(LEFT_TIGHT, left - (ROOMY - window))
      : Math.max(left, Math.min(LEFT_WIDE, window * LEFT_SHARE));
  const wanted = left === LEFT_DEFAULT ? roomy : left;
  const fitted = Math.round(Math.min(leftMax, Math.max(LEFT_MIN, wanted)));
  const rest = window - fitted - 2;
  const rightMax = Math.max(RIGHT_MIN, rest - MIDDLE_MIN);
  const right = Math.round(Math.min(rightMax, Math.max(RIGHT_MIN, rest * share)));
  return { left: fitted, leftMin: LEFT_MIN, leftMax, rest, right, rightMin: RIGHT_MIN, rightMax };
}
