/** A content that a notebook had. */
export interface Checkpoint {
  readonly id: string;
  readonly notebookId: string;
  /** Of the notebook, then. */
  readonly version: number;
  readonly sizeBytes: number;
  readonly createdAt: Date;
}

/** Of more the oldest go. */
export const maxCheckpoints = 20;
