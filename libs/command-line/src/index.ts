export { command, runCommand, runOneOf, WrongUsage, type Command } from './command.ts';
