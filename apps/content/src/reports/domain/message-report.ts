import type { Citation } from '../../conversations/domain/citations.ts';
import { messageNotFinished } from '../../conversations/domain/errors.ts';
import type { Message } from '../../conversations/domain/message.ts';
import { messageEmpty } from './errors.ts';
import { escapeMarkdown } from './escape-markdown.ts';

/** What a report takes of a message: its words, and by the annotations what they stand on. */
export type ReportedMessage = Pick<Message, 'message' | 'isFinished' | 'annotations'>;

/** The Markdown of a report of a message, its sources behind it. CONFLICT: more is still written into it, or it says nothing. */
export function markdownOf({ message, isFinished, annotations }: ReportedMessage): string {
  if (!isFinished) throw messageNotFinished();
  if (message.trim() === '') throw messageEmpty();
  const citations = (annotations['citations'] ?? []) as readonly Citation[];
  return citations.length === 0 ? message : `${message}\n\n---\n\n${citations.map(sourceLine).join('\n\n')}`;
}

/** By the number that it has in the text. */
const sourceLine = ({ number, title, page, quote }: Citation): string =>
  `\\[${String(number)}\\] **${escapeMarkdown(title)}**${page === undefined ? '' : `, page ${String(page)}`}: “${escapeMarkdown(quote)}”`;
