import { titleOf } from '../../conversations/domain/conversation.ts';

/**
 * The name of a conversation in what a model has answered to that: its first line without marks around it, and nothing invisible.
 * Undefined: there is none.
 */
export function titleIn(answer: string): string | undefined {
  const lines = answer.split('\n').map((line) =>
    line
      .replaceAll(/\p{C}/gu, '')
      .replace(/^[\s"'“”„«»`*#_-]+(?:title\s*:\s*)?/i, '')
      .replace(/[\s"'“”«»`*_.]+$/, ''),
  );
  const title = titleOf(lines.find((line) => line !== '') ?? '');
  return title === '' ? undefined : title;
}
