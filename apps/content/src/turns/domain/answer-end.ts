import type { Incomplete } from '../../conversations/domain/incomplete.ts';
import { answerEmpty, answerWithheld } from './errors.ts';
import type { EndReason } from './language-model.ts';

const CUT_BY_MODEL: Incomplete = {
  code: 'length',
  message: 'The answer is longer than the language model may write at once, and ends here.',
};
const OUT_OF_STEPS: Incomplete = {
  code: 'tool_calls',
  message: 'The language model wanted to look for more than it may in one answer, and ends here.',
};
const WITHHELD: Incomplete = {
  code: 'content_filter',
  message: 'The provider of the language model withholds the rest of the answer.',
};

/** Why an answer is not whole of which the model says that it ends. @throws where there is nothing of it. */
export function incompleteBy(reason: EndReason, text: string): Incomplete | undefined {
  if (text.trim() === '') throw reason === 'content_filter' ? answerWithheld() : answerEmpty();
  return {
    length: CUT_BY_MODEL,
    tool_calls: OUT_OF_STEPS,
    content_filter: WITHHELD,
    stop: undefined,
    other: undefined,
  }[reason];
}
