import type { Notifiers } from '../domain/notifications.ts';
import type { SlackChannels } from '../domain/slack-channels.ts';

/** One token posts in the channels of everybody: an organisation reaches those alone that are bound to it. */
export const inOwnChannels =
  (channels: SlackChannels, slack: Notifiers['slack']): Notifiers['slack'] =>
  (to, letter) => {
    const own = Object.hasOwn(channels, to.organisationId) ? channels[to.organisationId] : undefined;
    if (own?.includes(to.channelId)) return slack(to, letter);
    const reason = 'The channel is not one of this organisation: the operator binds channels with SLACK_CHANNELS';
    return Promise.resolve({ outcome: 'GIVE_UP', reason });
  };
