import type { Outbox } from '@platform/events';

export interface WakeCall {
  /** To be called after a commit of events. */
  readonly call: () => void;
  /** The same outbox, whose relay is woken by the call as well. */
  readonly wakes: (outbox: Outbox) => Outbox;
}

/**
 * Wakes the relay of this process without PostgreSQL's NOTIFY, which lets only one transaction commit at a time. Should
 * the process die before its relay takes the events, another replica's finds them at its next look.
 */
export function wakeCall(): WakeCall {
  let wake: (() => void) | undefined;
  return {
    call: () => wake?.(),
    wakes: (outbox) => ({
      ...outbox,
      listen: (relay) => {
        wake = relay;
        return outbox.listen(relay);
      },
    }),
  };
}
