import { describe, expect, it } from '@jest/globals';
import { commandsIn } from './documented-commands.ts';

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
