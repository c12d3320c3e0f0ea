/** Somebody can read something of it. */
export const LEGIBLE = /[\p{L}\p{N}]/u;
