/** The parts of a Jupyter message that are said or heard here, each of them JSON as bytes. */
export interface Message {
  readonly channel: string;
  readonly header: Uint8Array;
  readonly parentHeader: Uint8Array;
  readonly metadata: Uint8Array;
  readonly content: Uint8Array;
}

export type Hear = (message: Message) => void;

/** A connection to one kernel. */
export interface Wire {
  readonly say: (message: Message) => Promise<void>;
  /** Asks the kernel to stop what it runs, in the variant that is usual here. */
  readonly interrupt: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Connects; whatever the kernel says from then on is heard. */
export type Connect = (hear: Hear) => Promise<Wire>;
