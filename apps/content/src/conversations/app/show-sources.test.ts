import { describe, expect, it } from '@jest/globals';
import type { Opening } from '../../access/domain/opening.ts';
import type { Message } from '../domain/message.ts';
import { showSources } from './show-sources.ts';

const answer = {
  ...{ id: 'answer', memberId: 'ann', senderType: 'ASSISTANT' },
  annotations: {
    model: 'some',
    cut_attachments: ['open', 'closed', 'gone'],
    missing_attachments: ['closed', 'gone'],
    unread_attachments: ['closed'],
  },
} as unknown as Message;

/** What this member is shown of the answer to Ann, while `closed` is restricted to others and `gone` is deleted. */
async function shownTo(userId: string): Promise<Message['annotations'] | undefined> {
  const opening: Opening = { tokens: [`user:${userId}`], closedCollections: [], documents: [], assets: [] };
  let isForEverybody = false;
  const show = showSources({
    reader: {
      opening: () => Promise.resolve(opening),
      within(_reader, work) {
        isForEverybody = true;
        try {
          return work();
        } finally {
          isForEverybody = false;
        }
      },
    },
    documentsAmong(_organisation, ids) {
      const there = isForEverybody ? ['open', 'closed'] : ['open'];
      return Promise.resolve(new Set(ids.filter((id) => there.includes(id))));
    },
    conventionsAmong: () => Promise.resolve(new Set()),
  });
  const [shown] = await show('org', [answer]);
  return shown?.annotations;
}

describe('what an answer says of the files of its question', () => {
  it('names to others those that they may open', async () => {
    expect(await shownTo('bob')).toEqual({ model: 'some', cut_attachments: ['open'] });
  });

  it('names those that are gone to whoever was answered', async () => {
    expect(await shownTo('ann')).toEqual({
      model: 'some',
      cut_attachments: ['open', 'gone'],
      missing_attachments: ['gone'],
    });
  });
});
