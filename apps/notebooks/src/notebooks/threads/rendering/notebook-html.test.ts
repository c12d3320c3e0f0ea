import { describe, expect, it } from '@jest/globals';
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
