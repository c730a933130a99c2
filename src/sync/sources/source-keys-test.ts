import { appKeyTextOf } from '../../connectors/contract/app-key-texts.ts'
import { SourceError } from '../../connectors/contract/contract.ts'
import type { Source } from '../../connectors/sources.ts'
import type { KeyTest } from '../../store/sources/source-keys.ts'
import { timedKit } from './timed-kit.ts'

export interface TestedKeys {
  test: KeyTest
  /** Response of the source, or why it is unknown; empty when it accepted them. */
  reason: string
}

/** Tests the keys at the source: accepted, rejected, or unknown. Reveals no key. */
export async function testKeys(source: Source): Promise<TestedKeys> {
  const connector = await source.load()
  if (!connector.checkApp) {
    return { test: 'untested', reason: `${source.description.name} says only to an owner whether keys are good` }
  }
  try {
    await connector.checkApp(timedKit(source.kit).kit)
    return { test: 'accepted', reason: '' }
  } catch (error) {
    if (!(error instanceof SourceError)) throw error
    return { test: error.isClientRefused ? 'refused' : 'untested', reason: toReason(source, error.message) }
  }
}

/** No message should contain a key: an additional safeguard. */
export function toReason(source: Source, message: string): string {
  const secrets = Object.entries(source.kit.app).filter(([name, value]) => value !== '' && !appKeyTextOf(source.description, name).isPublic)
  const clean = secrets.reduce((text, [, value]) => text.replaceAll(value, '[secret]'), message)
  return withoutOperator(clean)
}

/** Rewrites a connector's text about the operator's keys for an instance's own. */
export function withoutOperator(message: string): string {
  return message.replaceAll(/the operator['’]s /g, 'the ')
}
