import { describe, expect, it } from '@jest/globals';
import { commandsIn, shellBlocksIn } from './documented-commands.ts';

describe('the commands of a page', () => {
  it('stand in its blocks of shell, each on a line of its own or continued by a backslash', () => {
    const page = [
      'Type `npm ci`:',
      '```sh',
      'npm start',
      '# beside it',
      'curl -s \\',
      '  http://127.0.0.1:8080/',
      '```',
      '',
      '```ts',
      'start();',
      '```',
    ];
    expect(commandsIn(page.join('\n'))).toEqual(['npm start', 'curl -s http://127.0.0.1:8080/']);
  });
});

describe('a table of a page', () => {
  it('is what the block of commands right before it answers', () => {
    const page = [
      '| not | answered |',
      '| --- | -------- |',
      '| by  | a block  |',
      '',
      '```sh',
      'curl -s http://127.0.0.1:8080/',
      '```',
      '',
      '| region | revenue |',
      '| ------ | ------- |',
      '| north  | 162.75  |',
      '| west   | null    |',
      '',
      '```sh',
      'curl -s http://127.0.0.1:8080/other',
      '```',
      '',
      'Its fields:',
      '',
      '| field | meaning |',
      '| ----- | ------- |',
      '| `a`   | a word  |',
    ];
    expect(shellBlocksIn(page.join('\n') + '\n')).toEqual([
      { commands: 'curl -s http://127.0.0.1:8080/\n', answered: ['north', '162.75', 'west', 'null'] },
      { commands: 'curl -s http://127.0.0.1:8080/other\n', answered: [] },
    ]);
  });
});

describe('a chart of a page', () => {
  it('shows what the block of commands before it answers, or before its table', () => {
    const chart = ['```mermaid', 'xychart-beta', '  x-axis "region" [north, south]', '  bar [162.75, 80.00]', '```'];
    const block = ['```sh', 'curl -s http://127.0.0.1:8080/', '```', ''];
    const answeredOf = (...lines: string[]) => shellBlocksIn(`${lines.join('\n')}\n`)[0]?.answered;
    expect(answeredOf(...block, ...chart)).toEqual(['north', 'south', '162.75', '80.00']);
    expect(answeredOf(...block, '| name |', '| ---- |', '| a    |', '', ...chart)).toEqual([
      ...['a', 'north', 'south', '162.75', '80.00'],
    ]);
    expect(answeredOf(...block, 'As a picture:', '', ...chart)).toEqual([]);
  });
});
