import { describe, expect, it } from '@jest/globals';
import { markdownOf } from '../domain/message-report.ts';
import { safeHtml } from './report-html.ts';

const citation = { number: 2, kind: 'DOCUMENT', id: 'd', title: 'Notes *2026*', page: 7, start: 0, end: 5 };

describe('the sources of a report', () => {
  it('are what the message cites, by the numbers that its text has, word for word', () => {
    const citations = [
      { ...citation, quote: 'Receipts\n# are <b>attached</b> to https://example.com' },
      { ...citation, number: 5, page: undefined, title: 'Claims', quote: 'By the tenth.' },
    ];
    const html = safeHtml(markdownOf({ message: 'So it is [2][5].', isFinished: true, annotations: { citations } }));
    expect(html).toContain('<p>So it is [2][5].</p>');
    expect(html).toContain(
      '<p>[2] <strong>Notes *2026*</strong>, page 7: “Receipts # are &lt;b&gt;attached&lt;/b&gt; to https://example.com”</p>',
    );
    expect(html).toContain('<p>[5] <strong>Claims</strong>: “By the tenth.”</p>');
  });
});
