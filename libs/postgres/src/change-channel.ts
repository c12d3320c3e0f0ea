import { changeNotices, outsideOfCalls, type ChangeNotice } from '@platform-backend/core';
import type { Listening, Wake } from './listen.ts';

/** Triggers name on it what has changed, in the transaction of the change: a kind and ids, and nothing of its content. */
const CHANGES_CHANNEL = 'changes';

export interface ChangeChannel {
  noticeOf(things: readonly string[]): ChangeNotice;
  close(): Promise<void>;
}

/** Listens from the first reader on. After each connection everybody looks once: what was told before was told to nobody. */
export function openChangeChannel(listen: (channel: string, wake: Wake) => Listening): ChangeChannel {
  const notices = changeNotices();
  let listening: Listening | undefined;
  const hear: Wake = (thing) => (thing === undefined ? notices.allChanged() : notices.changed(thing));
  return {
    noticeOf(things) {
      const notice = notices.of(things);
      // The connection is all readers', whoever comes first.
      listening ??= outsideOfCalls(() => listen(CHANGES_CHANNEL, hear));
      return notice;
    },
    close: async () => listening?.close(),
  };
}
