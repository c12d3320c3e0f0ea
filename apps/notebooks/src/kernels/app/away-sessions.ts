import type { KernelMessage } from '../domain/kernel-provider.ts';
import { sizeOf } from '../domain/message-size.ts';

/** What the clients of a kernel would have heard that have gone without it, for when they come back. */
export interface AwaySessions {
  /** A client has gone that may come back, with what was still on its way to it. */
  readonly leave: (sessionId: string, unsent: readonly KernelMessage[]) => void;
  /** For all that are away. */
  readonly hearAll: (message: KernelMessage) => void;
  /** For one of them, if it is away. */
  readonly hear: (sessionId: string, message: KernelMessage) => void;
  /** It is back, and hears what it has missed. */
  readonly comeBack: (sessionId: string) => readonly KernelMessage[];
}

interface Missed {
  messages: KernelMessage[];
  bytes: number;
  isCut: boolean;
}

/** Of one kernel; those that have gone first are forgotten first. */
const MAX_SESSIONS = 4;
/** Of one session. Beyond it output is left out, and what its client waits for is kept up to twice as much. */
const MAX_BYTES = 8 * 2 ** 20;
const MAX_MESSAGES = 10_000;
const MAX_NECESSARY_BYTES = 64 * 1024;

/** `notice` makes the word that something was left out, of the message that is the first of it. */
export function awaySessions(
  notice: (message: KernelMessage) => KernelMessage,
  isOutput: (message: KernelMessage) => boolean,
): AwaySessions {
  const sessions = new Map<string, Missed>();

  function add(missed: Missed, message: KernelMessage): void {
    const size = sizeOf(message);
    const isNecessary =
      !isOutput(message) &&
      size <= MAX_NECESSARY_BYTES &&
      missed.bytes + size <= 2 * MAX_BYTES &&
      missed.messages.length < 2 * MAX_MESSAGES;
    const hasRoom = missed.bytes + size <= MAX_BYTES && missed.messages.length < MAX_MESSAGES && !missed.isCut;
    if (hasRoom || isNecessary) {
      missed.bytes += size;
      missed.messages.push(message);
    } else if (!missed.isCut) {
      missed.isCut = true;
      missed.messages.push(notice(message));
    }
  }

  return {
    leave(sessionId, unsent) {
      const missed: Missed = { messages: [], bytes: 0, isCut: false };
      for (const message of unsent) add(missed, message);
      sessions.delete(sessionId);
      sessions.set(sessionId, missed);
      const [oldest] = sessions.keys();
      if (sessions.size > MAX_SESSIONS && oldest !== undefined) sessions.delete(oldest);
    },
    hearAll(message) {
      for (const missed of sessions.values()) add(missed, message);
    },
    hear(sessionId, message) {
      const missed = sessions.get(sessionId);
      if (missed) add(missed, message);
    },
    comeBack(sessionId) {
      const missed = sessions.get(sessionId);
      sessions.delete(sessionId);
      return missed?.messages ?? [];
    },
  };
}
