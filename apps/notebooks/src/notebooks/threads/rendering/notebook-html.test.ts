import { describe, expect, it } from '@jest/globals';
import { costRatio } from '@platform-backend/testing/cost-ratio';
import { notebookHtml } from './notebook-html.ts';

const page = (...cells: readonly object[]) => notebookHtml({ name: 'Sales <1>', text: JSON.stringify({ cells }) });
const output = (...outputs: readonly object[]) => page({ cell_type: 'code', source: 'x', execution_count: 3, outputs });
const data = (of: object) => output({ output_type: 'display_data', data: of });

describe('a notebook as a page', () => {
  it('shows text, code and what came of it', () => {
    const shown = page(
      { cell_type: 'markdown', source: ['# Title\n', 'and **more**'] },
      {
        cell_type: 'code',
        source: 'a < b',
        execution_count: 3,
        outputs: [{ output_type: 'stream', text: ['1\n', '2'] }],
      },
    );
    expect(shown).toContain('<title>Sales &lt;1&gt;</title>');
    expect(shown).toContain('<h1>Title</h1>');
    expect(shown).toContain('<strong>more</strong>');
    expect(shown).toContain('[3]');
    expect(shown).toContain('a &lt; b');
    expect(shown).toContain('<pre class="stdout">1\n2</pre>');
  });

  it('shows the traceback of an error in its colours', () => {
    const traceback = ['\u001b[0;31mValueError\u001b[0m: <no>', '\u001b[1mbold\u001b[22m\u001b[2K end'];
    expect(output({ output_type: 'error', traceback })).toContain(
      '<pre class="error"><span class="red">ValueError</span>: &lt;no&gt;\n<span class="bold">bold</span> end</pre>',
    );
  });

  it('shows pictures that it holds itself', () => {
    expect(data({ 'image/png': 'aGk=\n', 'text/plain': 'figure' })).toContain(
      '<img src="data:image/png;base64,aGk=" alt="">',
    );
    const attachments = { 'a.png': { 'image/png': 'aGk=' } };
    expect(page({ cell_type: 'markdown', source: '![a](attachment:a.png)', attachments })).toContain(
      '<img src="data:image/png;base64,aGk=" alt="a" />',
    );
  });

  it.each([
    ['a script', '<script>alert(1)</script><b>text</b>'],
    ['what runs when it is pressed', '<b onclick="alert(1)">text</b>'],
    ['a frame', '<iframe src="https://example.com"></iframe><b>text</b>'],
    ['a link that runs', '<a href="javascript:alert(1)"><b>text</b></a>'],
    ['a picture elsewhere', '<img src="https://example.com/a.png"><b>text</b>'],
    ['a style', '<style>body { background: url(https://example.com) }</style><b style="color: red">text</b>'],
    ['a vector picture that runs', '<svg onload="alert(1)"><script>1</script></svg><b>text</b>'],
  ])('has nothing of %s', (_, html) => {
    for (const shown of [data({ 'text/html': html }), page({ cell_type: 'markdown', source: html })]) {
      expect(shown).toContain('<b>text</b>');
      const [, body = ''] = shown.split('<body>');
      expect(body).not.toMatch(/alert|script|example\.com|<svg|<style|onclick|onload/);
    }
  });

  it('shows formulas without anything that is fetched or runs', () => {
    const source = [
      String.raw`Inline $a_1 + \frac{b}{c}$, costs \$5 and $6 or $7, and \\(x^2\\).`,
      '`$code$`',
      String.raw`$$`,
      String.raw`\int_0^1 x`,
      String.raw`= \tfrac12`,
      String.raw`$$`,
      String.raw`\begin{align}y &= 1\\ z &= 2\end{align}`,
    ].join('\n');
    const [, body = ''] = page({ cell_type: 'markdown', source }).split('<body>');
    expect(body.match(/<math /g)).toHaveLength(4);
    expect(body.match(/display="block"/g)).toHaveLength(2);
    expect(body).toContain('<mfrac><mi>b</mi><mi>c</mi></mfrac>');
    expect(body).toContain('costs $5 and $6 or $7, and ');
    expect(body).toContain('<code>$code$</code>');
    expect(body).not.toMatch(/formula-|<script|<link|https?:\/\/(?!www\.w3\.org)/);
  });

  it('shows a formula that is none as it was written, and runs nothing of it', () => {
    const source = String.raw`$\frac{a$ and $\href{javascript:alert(1)}{x}$`;
    const [, body = ''] = page({ cell_type: 'markdown', source }).split('<body>');
    expect(body).toContain(String.raw`\frac{a</span>`);
    expect(body).not.toMatch(/<a |href="/);
  });

  it('shows a formula in the name of a picture as it was written', () => {
    const source = '![a $x < "y"$](data:image/png;base64,aGk=)';
    const [, body = ''] = page({ cell_type: 'markdown', source }).split('<body>');
    expect(body).toContain('alt="a $x &lt; &quot;y&quot;$"');
    expect(body).not.toContain('<math');
  });

  it('is made at once of thousands of paragraphs without a formula', () => {
    const paragraphs = (count: number) => () =>
      page({ cell_type: 'markdown', source: 'Some words of a paragraph that has an end.\n\n'.repeat(count) });
    expect(paragraphs(20_000)().match(/<p>/g)).toHaveLength(20_000);
    expect(costRatio(paragraphs(10_000), paragraphs(1_000))).toBeLessThan(40);
  });

  it('knows a command of a formula to the end of the page', () => {
    const cells = [String.raw`$\newcommand{\half}{\frac12}$`, String.raw`$\half$`];
    const shown = page(...cells.map((source) => ({ cell_type: 'markdown', source })));
    expect(shown).toContain('<mfrac><mn>1</mn><mn>2</mn></mfrac>');
  });

  it('shows formulas of outputs', () => {
    expect(data({ 'text/latex': '$\\displaystyle x^2$', 'text/plain': 'x**2' })).toContain(
      '<msup><mi>x</mi><mn>2</mn>',
    );
    expect(data({ 'text/latex': '<script>alert(1)</script>' })).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
  });

  it('shows code in its colours, in the language of the notebook and of a fence', () => {
    const cell = { cell_type: 'code', source: 'return "<a>" # 1', outputs: [] };
    const fence = { cell_type: 'markdown', source: '```sql\nselect 1\n```' };
    const shown = page(cell, fence);
    expect(shown).toContain('<span class="hljs-keyword">return</span>');
    expect(shown).toContain('<span class="hljs-string">&quot;&lt;a&gt;&quot;</span>');
    expect(shown).toContain('<pre><code><span class="hljs-keyword">select</span>');
    const metadata = { language_info: { name: 'R' } };
    const ofR = notebookHtml({ name: 'R', text: JSON.stringify({ metadata, cells: [{ ...cell, source: 'TRUE' }] }) });
    expect(ofR).toContain('<span class="hljs-literal">TRUE</span>');
  });

  it('has an end with thousands of dollars, and shows very long code without colours', () => {
    const dollars = page({ cell_type: 'markdown', source: '$ a $$ \\begin{a} \\( '.repeat(2_000) });
    expect(dollars.trimEnd().endsWith('</html>')).toBe(true);
    const long = page({ cell_type: 'code', source: '"'.repeat(300_000), outputs: [] });
    expect(long).toContain(`<pre class="code">${'&quot;'.repeat(300_000)}</pre>`);
  });

  it('takes what is not a picture for none', () => {
    expect(data({ 'image/png': '"><script>', 'text/plain': 'figure' })).toContain('<pre>figure</pre>');
  });

  it('is made at once of a picture that is none, however long its white space is', () => {
    const spaces = ' '.repeat(4_000_000);
    expect(data({ 'image/png': `aGk=${spaces}!`, 'text/plain': 'figure' })).toContain('<pre>figure</pre>');
    expect(page({ cell_type: 'markdown', source: `<img src="data:image/png;base64,aGk=${spaces}!">` })).not.toContain(
      '<img',
    );
  });

  it('shows text that is nested without end as it was written', () => {
    const nested = '>'.repeat(20_000);
    expect(page({ cell_type: 'markdown', source: nested })).toContain(`<pre>${'&gt;'.repeat(20_000)}</pre>`);
  });
});
