// Generated from protos/platform/events/v1/notebooks by `npm run generate`. Do not edit.

/** Which event has which payload. */
export type NotebooksEvents = {
  readonly 'notebook.created': NotebookCreated;
  readonly 'notebook.updated': NotebookUpdated;
  readonly 'notebook.deleted': NotebookDeleted;
  readonly 'notebook.files_changed': NotebookFilesChanged;
  readonly 'environment_variable.set': EnvironmentVariableSet;
  readonly 'environment_variable.deleted': EnvironmentVariableDeleted;
  readonly 'notebook_run.created': NotebookRunCreated;
  readonly 'notebook_run.finished': NotebookRunFinished;
  readonly 'kernel.started': KernelStarted;
  readonly 'kernel.interrupted': KernelInterrupted;
  readonly 'kernel.restarted': KernelRestarted;
  readonly 'kernel.stopped': KernelStopped;
  readonly 'kernel.culled': KernelCulled;
  readonly 'kernel.died': KernelDied;
  readonly 'audit.recorded': AuditRecorded;
  readonly 'debit.created': DebitCreated;
};

/** A notebook was made or imported. */
export type NotebookCreated = {
  readonly notebook_id: string;
  readonly name: string;
};

/** Its name or its content is another. */
export type NotebookUpdated = {
  readonly notebook_id: string;
  readonly name: string;
  readonly version: number;
  readonly changed_fields: readonly string[];
};

/** It is gone, with its checkpoints. */
export type NotebookDeleted = {
  readonly notebook_id: string;
};

/** Files of its folder are others: a cell has written them, or somebody has brought or removed them. */
export type NotebookFilesChanged = {
  readonly notebook_id: string;
  /** Paths of files that were written, up to a hundred. */
  readonly written: readonly string[];
  /** Paths of what is gone, up to a hundred. */
  readonly deleted: readonly string[];
  /** How many they are, written and gone. */
  readonly changes: number;
  /** All files of the folder together, afterwards. */
  readonly size_bytes: number;
};

/** A variable of the environment of kernels has another value, which is never told. */
export type EnvironmentVariableSet = {
  readonly name: string;
};

/** Kernels have a variable no more. */
export type EnvironmentVariableDeleted = {
  readonly name: string;
};

/** Somebody wants all cells of a notebook run. */
export type NotebookRunCreated = {
  readonly run_id: string;
  readonly notebook_id: string;
};

/** A run of a notebook is over, whatever it came to. */
export type NotebookRunFinished = {
  readonly run_id: string;
  readonly notebook_id: string;
  /** `SUCCEEDED`, `FAILED` or `CANCELLED`. */
  readonly status: string;
};

/** A kernel runs, and costs credits. */
export type KernelStarted = {
  readonly kernel_id: string;
  /** The kind of kernel: `python3`. */
  readonly name: string;
  /** Null for one without a notebook. */
  readonly notebook_id: string | null;
};

/** Somebody has stopped what a kernel was executing. */
export type KernelInterrupted = {
  readonly kernel_id: string;
};

/** A kernel has begun anew, without its variables. */
export type KernelRestarted = {
  readonly kernel_id: string;
};

/** Somebody ended it. */
export type KernelStopped = {
  readonly kernel_id: string;
};

/** The platform ended it. */
export type KernelCulled = {
  readonly kernel_id: string;
  /** `idle`, `lifetime`, `credits`, or `unreserved`: nothing could be set aside for its minutes for too long. */
  readonly reason: string;
};

/** It ended without being asked to. */
export type KernelDied = {
  readonly kernel_id: string;
  /** What is known of it, for people. */
  readonly reason: string;
};

/** One for each change, with what members may know of it: an entry of the audit log. */
export type AuditRecorded = {
  /** Of the entry in the audit log. */
  readonly audit_entry_id: string;
  /** `user`, `api_key` or `service`. */
  readonly actor_type: string;
  /** The user, the API key or the service. */
  readonly actor_id: string;
  /** As it was at the time. Empty for a key where it is not known; the audit log knows it. */
  readonly actor_name: string;
  /** The name of the event: `client_group.updated`. */
  readonly action: string;
  /** What was changed: `client_group`. */
  readonly target_type: string;
  /** Which of them. */
  readonly target_id: string;
  /** The user for whom a key has acted; null for users and services. */
  readonly on_behalf_of_user_id: string | null;
  /** As it was at the time. */
  readonly on_behalf_of_user_name: string | null;
  /** The changed fields before and after; null where there was or is nothing. Long lists and texts are cut. */
  readonly before: Readonly<Record<string, unknown>> | null;
  /** As `before`. */
  readonly after: Readonly<Record<string, unknown>> | null;
  /** The request that led to it, as in `X-Request-Id`. */
  readonly request_id: string;
  /** When it was changed: RFC 3339, UTC, milliseconds. */
  readonly at: string;
};

/**
 * Work has cost credits. It is written in the transaction that ends the work, so that the one is never there without the
 * other, and billing books it once by its id, however late and however often it comes: also when the reservation has
 * expired, was given back or never was. The balance may go below zero by it.
 */
export type DebitCreated = {
  /** The same for the same work, whoever writes it down: two replicas that both end a piece of work debit it once. */
  readonly debit_id: string;
  /** What was set aside for it; while that is still open, it is settled by this debit and the rest is given back. */
  readonly reservation_id: string | null;
  /** A whole number as text, at least 1: 1 credit = 1,000,000 micros. */
  readonly amount_micros: string;
  /** `AI` or `INFRASTRUCTURE`: which limit of the group's policy it counts against. */
  readonly credit_class: string;
  /** As of its reservation, shown in the ledger: `assistant_message`, `kernel_minute`. */
  readonly purpose: string;
  /** What was done: the message, the kernel, the run. */
  readonly work_id: string;
  /** Whose policy and usage it counts against. Null: those of its reservation, or else the default group. */
  readonly client_group_id: string | null;
  readonly api_key_id: string | null;
  /** The user for whom it was done. Null: nobody in particular. */
  readonly member_id: string | null;
  /** When the work was done, on whose day it is counted: RFC 3339, UTC, milliseconds. */
  readonly occurred_at: string;
};
