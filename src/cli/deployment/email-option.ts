import { InvalidSetting, toEmail } from '../../process/settings/setting-values.ts'
import { UsageError } from '../command/command.ts'

/** Throws `UsageError` for an option that is no e-mail address. */
export function checkEmail(option: string, text: string): void {
  try {
    toEmail(text)
  } catch (error) {
    throw error instanceof InvalidSetting ? new UsageError(`--${option}: ${JSON.stringify(text)} is not ${error.message}`) : error
  }
}
