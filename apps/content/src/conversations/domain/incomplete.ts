/** Why an answer ends before its end, in its annotations as `incomplete`. */
export interface Incomplete {
  /** Stable, for programs. */
  readonly code: string;
  /** For people, and nothing internal. */
  readonly message: string;
}

/** Of an answer whose process is gone. */
export const interrupted: Incomplete = {
  code: 'interrupted',
  message: 'The answer was interrupted, and ends here. Ask again for the rest.',
};
