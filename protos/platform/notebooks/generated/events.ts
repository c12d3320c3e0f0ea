// Generated from protos/platform/events/v1/notebooks by `npm run generate`. Do not edit.

/** Which event has which payload. */
export type NotebooksEvents = {
  readonly 'notebook.created': NotebookCreated;
  readonly 'notebook.updated': NotebookUpdated;
  readonly 'notebook.deleted': NotebookDeleted;
  readonly 'notebook_run.created': NotebookRunCreated;
  readonly 'notebook_run.finished': NotebookRunFinished;
  readonly 'kernel.started': KernelStarted;
  readonly 'kernel.interrupted': KernelInterrupted;
  readonly 'kernel.restarted': KernelRestarted;
  readonly 'kernel.stopped': KernelStopped;
  readonly 'kernel.culled': KernelCulled;
  readonly 'kernel.died': KernelDied;
  readonly 'audit.recorded': AuditRecorded;
};

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

export type NotebookDeleted = {
  readonly notebook_id: string;
};

/** Somebody wants all cells of a notebook run. */
export type NotebookRunCreated = {
  readonly run_id: string;
  readonly notebook_id: string;
};

export type NotebookRunFinished = {
  readonly run_id: string;
  readonly notebook_id: string;
  /** `SUCCEEDED`, `FAILED` or `CANCELLED`. */
  readonly status: string;
};

export type KernelStarted = {
  readonly kernel_id: string;
  /** The kind of kernel: `python3`. */
  readonly name: string;
  /** Null for one without a notebook. */
  readonly notebook_id: string | null;
};

export type KernelInterrupted = {
  readonly kernel_id: string;
};

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
  /** `idle`, `lifetime` or `credits`. */
  readonly reason: string;
};

/** It ended without being asked to. */
export type KernelDied = {
  readonly kernel_id: string;
  readonly reason: string;
};

/** One for each change, with what members may know of it: an entry of the audit log. */
export type AuditRecorded = {
  readonly audit_entry_id: string;
  /** `user`, `api_key` or `service`. */
  readonly actor_type: string;
  readonly actor_id: string;
  /** As it was at the time. Empty for a key where it is not known; the audit log knows it. */
  readonly actor_name: string;
  /** The name of the event: `client_group.updated`. */
  readonly action: string;
  readonly target_type: string;
  readonly target_id: string;
  /** The user for whom a key has acted; null for users and services. */
  readonly on_behalf_of_user_id: string | null;
  readonly on_behalf_of_user_name: string | null;
  /** The changed fields before and after; null where there was or is nothing. Long lists and texts are cut. */
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
  /** The request that led to it, as in `X-Request-Id`. */
  readonly request_id: string;
  /** When it was changed: RFC 3339, UTC, milliseconds. */
  readonly at: string;
};
