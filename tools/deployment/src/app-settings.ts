import { byVariable, type Settings } from '@platform-backend/core';
import type { SettingNames } from './check-compose.ts';

/** Which variables settings are read from, and which of them there have to be. */
export function settingNames(settings: Settings): SettingNames {
  const variables = Object.entries(byVariable(settings));
  return {
    known: variables.map(([name]) => name),
    required: variables.filter(([, { fallback }]) => fallback === undefined).map(([name]) => name),
  };
}
