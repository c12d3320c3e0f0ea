import type { MemberServiceClient } from '@platform-backend/contract-identity';
import type { CallOptions } from '@platform-backend/grpc';
import type { Area } from '@platform-backend/service';
import type { PipelinesContext, service } from '../service.ts';
import { sendNotifications } from './app/send-notifications.ts';
import { identityMembers } from './clients/identity-members.ts';
import { openNotifiers } from './notifiers/open-notifiers.ts';
import { notificationsStore } from './store/notifications-store.ts';

export type NotificationsExports = ReturnType<typeof notificationsArea>['exports'];

/** Notifications: who is told how runs and executions have ended, noted down with that end and sent afterwards. */
export const notificationsArea = ({ storage: { database }, settings, clock, logger, client }: PipelinesContext) => {
  const findMembers = identityMembers(client<MemberServiceClient<CallOptions>>('platform.identity.v1.MemberService'));
  const notifications = notificationsStore(database);
  const sending = { notifications, notifiers: openNotifiers(settings, logger), findMembers, clock };
  return {
    jobs: [
      {
        name: 'the sending of notifications',
        everyMs: settings.PIPELINES_SCHEDULE_SECONDS * 1000,
        run: (stopping) => sendNotifications(sending, logger, stopping),
        untilDueMs: () => notifications.untilDue(clock.now()),
      },
    ],
    exports: { findMembers },
  } satisfies Area<typeof service.declaration>;
};
