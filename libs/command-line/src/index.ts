export { command, runCommand, runOneOf, WrongUsage, type Command, type CommandFamily } from './command.ts';
