import { describe, expect, it } from '@jest/globals';
import { sharedRoom } from './shared-room.ts';

describe('the room that organisations share', () => {
  it('is half of it for one, and never nothing for another', () => {
    const room = sharedRoom(100);
    expect(room.take('a', 50)).toBe(true);
    expect(room.take('a', 1)).toBe(false);
    expect(room.take('b', 25)).toBe(true);
    expect(room.take('b', 1)).toBe(false);
    expect(room.take('c', 12)).toBe(true);
    room.giveBack('a', 50);
    expect(room.take('b', 6)).toBe(true);
    room.giveBack('b', 31);
    room.giveBack('c', 12);
    expect([room.take('d', 51), room.take('d', 50)]).toEqual([false, true]);
  });
});
