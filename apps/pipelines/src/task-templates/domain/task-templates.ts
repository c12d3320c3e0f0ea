import type { ActorContext, Decision, Page, PageRequest } from '@platform-backend/core';
import type { PipelinesEvent } from '../../events.ts';
import type { NotifiedRecipient } from '../../notifications/domain/notification.ts';
import type { ActiveMember, DueItem } from '../../notifications/domain/notifications.ts';
import type { ExecutionStatus, GivenTask, TaskExecution, TaskReply } from './task-execution.ts';
import type { TaskTemplate } from './task-template.ts';

export interface ScheduledTemplate extends TaskTemplate {
  /** Null: not by its schedule. */
  readonly nextRunAt: Date | null;
}

export type OrderedPage = PageRequest & { readonly order: 'asc' | 'desc' };

/** Where task templates are kept, together with their schedules. */
export interface TaskTemplates {
  readonly add: (by: ActorContext, created: Decision<TaskTemplate, PipelinesEvent>) => Promise<ScheduledTemplate>;
  /** NOT_FOUND: there is none. */
  readonly update: (
    by: ActorContext,
    id: string,
    decide: (template: TaskTemplate) => Decision<TaskTemplate, PipelinesEvent>,
  ) => Promise<ScheduledTemplate>;
  /** NOT_FOUND: there is none. */
  readonly remove: (
    by: ActorContext,
    id: string,
    decide: (template: TaskTemplate) => Decision<undefined, PipelinesEvent, { readonly id: string }>,
  ) => Promise<{ readonly id: string }>;
  /** NOT_FOUND: there is none. */
  readonly get: (organisationId: string, id: string) => Promise<ScheduledTemplate>;
  readonly list: (
    organisationId: string,
    filter: { readonly scheduleEnabled: boolean | null },
    page: OrderedPage,
  ) => Promise<Page<ScheduledTemplate>>;
}

/** An execution that somebody looks after, with the task as it was when it began. */
export interface TakenExecution {
  readonly execution: TaskExecution;
  readonly task: GivenTask;
}

export interface TaskExecutions {
  /** Of a template that is locked meanwhile; the same id again answers what there is. NOT_FOUND: no such template. */
  readonly begin: (
    by: ActorContext,
    templateId: string,
    id: string,
    decide: (template: TaskTemplate, open: number) => Decision<TaskExecution, PipelinesEvent>,
  ) => Promise<TaskExecution>;
  /** Those somebody has to look after, longest waiting first, over all organisations. */
  readonly due: (at: Date, limit: number) => Promise<readonly DueItem[]>;
  /** In how many milliseconds the first one is due; undefined: none will be. */
  readonly untilDue: (at: Date) => Promise<number | undefined>;
  /** Null: somebody else has it, or there is nothing to do. */
  readonly take: (
    due: DueItem,
    decide: (execution: TaskExecution) => TaskExecution | null,
  ) => Promise<TakenExecution | null>;
  /** Changes one and, when that ends it, counts it with its template and notes down who has to hear of it. */
  readonly update: (
    by: ActorContext,
    id: string,
    decide: (execution: TaskExecution) => Decision<TaskExecution, PipelinesEvent>,
  ) => Promise<void>;
  /** NOT_FOUND: there is none of that template. */
  readonly get: (
    organisationId: string,
    templateId: string,
    id: string,
  ) => Promise<TaskExecution & { readonly notifications: readonly NotifiedRecipient[] }>;
  /** NOT_FOUND: there is no such template. */
  readonly list: (
    organisationId: string,
    templateId: string,
    filter: { readonly statuses: readonly ExecutionStatus[] },
    page: OrderedPage,
  ) => Promise<Page<TaskExecution>>;
  /** Forgets what was finished before then. */
  readonly forget: (before: Date) => Promise<void>;
}

/** Asks an assistant. Asked again with the same turn, it tells how far it is. */
export type AskAssistant = (
  by: ActorContext,
  asked: { readonly turnId: string; readonly task: GivenTask; readonly level: ActiveMember['level'] },
) => Promise<TaskReply>;
