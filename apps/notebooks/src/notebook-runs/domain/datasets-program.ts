/** The code by which datasets come into a kernel and leave it: one request to the kernel each. */
export interface DatasetsProgram {
  /** Puts `datasets` there. */
  readonly begin: (inputs: readonly string[], outputs: readonly string[]) => string;
  /** Asks on stdin for pieces of an input, in base64, until an empty one comes. */
  readonly receive: (name: string) => string;
  /** Asks on stdin with pieces of an output, in base64; not once when the program has not written it. */
  readonly send: (name: string) => string;
}
