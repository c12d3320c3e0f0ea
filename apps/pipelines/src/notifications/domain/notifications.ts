import type { ActorContext } from '@platform-backend/core';
import type { Delivery, Notification } from './notification.ts';

/** One that somebody has to look after. */
export interface DueItem {
  readonly organisationId: string;
  readonly id: string;
}

/** Where those are kept who have to be told. */
export interface Notifications {
  readonly due: (at: Date, limit: number) => Promise<readonly DueItem[]>;
  /** In how many milliseconds the first one is due; undefined: none will be. */
  readonly untilDue: (at: Date) => Promise<number | undefined>;
  readonly take: (
    due: DueItem,
    decide: (notification: Notification) => Notification | null,
  ) => Promise<Notification | null>;
  readonly update: (due: DueItem, decide: (notification: Notification) => Notification) => Promise<void>;
}

export interface ActiveMember {
  readonly userId: string;
  readonly name: string;
  readonly email: string;
  readonly level: 'VIEWER' | 'EDITOR' | 'ADMIN' | 'OWNER';
}

/** The active members among these users. */
export type FindMembers = (by: ActorContext, userIds: readonly string[]) => Promise<readonly ActiveMember[]>;

/**
 * Its id is the same for every attempt, by which a recipient may know a repetition. Beyond one of `takes` it may have been sent
 * already, since `createdAt`.
 */
export type NotificationMessage = Pick<Notification, 'id' | 'title' | 'text' | 'takes' | 'createdAt'>;

/** How letters go out. */
export interface Notifiers {
  readonly mail: (
    to: { readonly name: string; readonly email: string },
    letter: NotificationMessage,
  ) => Promise<Delivery>;
  readonly slack: (
    to: { readonly organisationId: string; readonly channelId: string },
    letter: NotificationMessage,
  ) => Promise<Delivery>;
}
