import { beginningOf } from '@platform-backend/core';
import { MAX_LOG_LINE_LENGTH } from './limits.ts';

/** A line as it is kept: of one that is too long its beginning, with how much is missing. `missing`: what was left out before. */
export function keptLine(text: string, missing = 0): string {
  if (missing === 0 && text.length <= MAX_LOG_LINE_LENGTH) return text;
  const noticeOf = (count: number): string => ` … ${String(count)} characters more are left out`;
  const kept = beginningOf(text, MAX_LOG_LINE_LENGTH - noticeOf(text.length + missing).length);
  return `${kept}${noticeOf(text.length - kept.length + missing)}`;
}
