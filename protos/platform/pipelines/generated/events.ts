// Generated from protos/platform/events/v1/pipelines by `npm run generate`. Do not edit.

/** Which event has which payload. */
export type PipelinesEvents = {
  readonly 'task_template.created': TaskTemplateCreated;
  readonly 'task_template.updated': TaskTemplateUpdated;
  readonly 'task_template.deleted': TaskTemplateDeleted;
  readonly 'task_template.fired': TaskTemplateFired;
  readonly 'dataset.created': DatasetCreated;
  readonly 'dataset.updated': DatasetUpdated;
  readonly 'dataset.deleted': DatasetDeleted;
  readonly 'pipeline.created': PipelineCreated;
  readonly 'pipeline.updated': PipelineUpdated;
  readonly 'pipeline.version_published': PipelineVersionPublished;
  readonly 'run.started': RunStarted;
  readonly 'run.step_finished': RunStepFinished;
  readonly 'run.finished': RunFinished;
  readonly 'run.cancelled': RunCancelled;
  readonly 'backfill.started': BackfillStarted;
  readonly 'backfill.finished': BackfillFinished;
  readonly 'webhook.created': WebhookCreated;
  readonly 'webhook.updated': WebhookUpdated;
  readonly 'webhook.secret_rotated': WebhookSecretRotated;
  readonly 'webhook.deleted': WebhookDeleted;
  readonly 'connection.created': ConnectionCreated;
  readonly 'connection.updated': ConnectionUpdated;
  readonly 'connection.deleted': ConnectionDeleted;
  readonly 'audit.recorded': AuditRecorded;
  readonly 'debit.created': DebitCreated;
};

/** An assistant has a task, by schedule or on demand. */
export type TaskTemplateCreated = {
  readonly task_template_id: string;
  readonly name: string;
  /** The `name` of the assistant. */
  readonly assignee: string;
  readonly schedule_enabled: boolean;
};

/** Also when its schedule is paused or resumed, by whomever. */
export type TaskTemplateUpdated = {
  readonly task_template_id: string;
  readonly changed_fields: readonly string[];
  readonly schedule_enabled: boolean;
};

/** It is executed no more. */
export type TaskTemplateDeleted = {
  readonly task_template_id: string;
};

/** Its schedule is due, or somebody asked for it; an execution of it has begun. */
export type TaskTemplateFired = {
  readonly task_template_id: string;
  /** The execution that has begun. */
  readonly execution_id: string;
};

/** A dataset was made, by an upload or by the first run that writes it. */
export type DatasetCreated = {
  readonly dataset_id: string;
  readonly name: string;
};

/** It has another name or description, its columns have, or it has new data. */
export type DatasetUpdated = {
  readonly dataset_id: string;
  readonly name: string;
  /** Of its current version; null where there is none. */
  readonly version_number: number | null;
  /** The run whose step has made that version; null for an upload. */
  readonly run_id: string | null;
  /** Among `name`, `description`, `dictionary` and `version`: new data is a new version. */
  readonly changed_fields: readonly string[];
};

/** It is gone, with its versions. */
export type DatasetDeleted = {
  readonly dataset_id: string;
  readonly name: string;
};

/** A pipeline was made, with a version or without. */
export type PipelineCreated = {
  readonly pipeline_id: string;
  readonly name: string;
};

/** Also when its schedule is paused or resumed, by whomever. */
export type PipelineUpdated = {
  readonly pipeline_id: string;
  readonly name: string;
  readonly changed_fields: readonly string[];
  readonly schedule_enabled: boolean;
};

/** Runs that are started from now on carry this version out. */
export type PipelineVersionPublished = {
  readonly pipeline_id: string;
  readonly version_id: string;
  /** 1 for a pipeline's first version. */
  readonly number: number;
  /** How many steps it has. */
  readonly step_count: number;
};

/** Somebody or something has asked for a run. */
export type RunStarted = {
  readonly run_id: string;
  readonly pipeline_id: string;
  readonly version_id: string;
  /** `API`, `SCHEDULE`, `EVENT`, `TASK`, `RETRY`, `PIPELINE` or `BACKFILL`. */
  readonly trigger: string;
};

/** A step of a run is over; the run goes on or ends, which `run.finished` tells. */
export type RunStepFinished = {
  readonly run_id: string;
  readonly pipeline_id: string;
  /** Its name in the version. */
  readonly step: string;
  /** `Succeeded`, `Failed` or `Error`. */
  readonly status: string;
  /** How often it was begun. */
  readonly attempts: number;
};

/** It is over, whatever it came to. */
export type RunFinished = {
  readonly run_id: string;
  readonly pipeline_id: string;
  /** `Succeeded`, `Failed`, `Error` or `Cancelled`. */
  readonly status: string;
  /** Why it ended as it did; empty otherwise. */
  readonly message: string;
  /** As in run.started. */
  readonly trigger: string;
};

/** Somebody asked for its end, which `run.finished` tells. */
export type RunCancelled = {
  readonly run_id: string;
  readonly pipeline_id: string;
};

/** Somebody asked for runs over many values of a parameter. */
export type BackfillStarted = {
  readonly backfill_id: string;
  readonly pipeline_id: string;
  readonly version_id: string;
  /** How many there will be. */
  readonly runs: number;
};

/** It starts no more runs. */
export type BackfillFinished = {
  readonly backfill_id: string;
  readonly pipeline_id: string;
  /** `Succeeded`, `Failed` or `Cancelled`. */
  readonly status: string;
  /** Why it ended as it did; empty otherwise. */
  readonly message: string;
};

/** Ends of runs and executions may be told there. */
export type WebhookCreated = {
  readonly webhook_id: string;
};

/** It is elsewhere, called otherwise, or told nothing for now. */
export type WebhookUpdated = {
  readonly webhook_id: string;
  readonly changed_fields: readonly string[];
};

/** Deliveries are signed with another secret. */
export type WebhookSecretRotated = {
  readonly webhook_id: string;
  /** How long they are signed with the old one as well. */
  readonly overlap_seconds: number;
};

/** It is told nothing any more. */
export type WebhookDeleted = {
  readonly webhook_id: string;
};

/** An organisation has said how something of its own is reached. */
export type ConnectionCreated = {
  readonly connection_id: string;
};

/** It is elsewhere, called otherwise, or has another secret. */
export type ConnectionUpdated = {
  readonly connection_id: string;
  readonly changed_fields: readonly string[];
};

/** Nothing is read from it any more. */
export type ConnectionDeleted = {
  readonly connection_id: string;
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
