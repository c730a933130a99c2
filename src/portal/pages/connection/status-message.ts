import type { FaultCode, Run, TimelineEntry } from '../../api/generated/types.ts'
import { useLanguage, useTexts } from '../../texts/language/language.tsx'
import { faultTexts } from '../../texts/messages/faults.ts'
import { type Parts, toldTexts } from '../../texts/messages/status-messages.ts'
import { connectionTexts } from '../../texts/pages/connection.ts'

interface Told {
  text: string
  /** It is in English, though the page is not. */
  isForeign: boolean
}

/** Says what an entry tells in the language of the page; in the words of the API where it has none of its own. */
export function useTold(): (entry: Pick<TimelineEntry, 'detail' | 'detailCode' | 'detailParts'>) => Told {
  const { said, reasons } = useTexts(toldTexts)
  const faults = useTexts(faultTexts).said
  const { states } = useTexts(connectionTexts)
  const { language } = useLanguage()
  const sayings: Record<string, (parts: Parts) => string> = said
  return ({ detail, detailCode, detailParts }) => {
    if (detailCode === 'run') {
      const { reason, state } = detailParts
      return { text: [find(states, state), find(reasons, reason)].filter(Boolean).join(' · '), isForeign: false }
    }
    const say = detailCode === null ? undefined : sayings[detailCode]
    if (say) return { text: say(detailParts), isForeign: false }
    if (isFault(detailCode, faults)) return { text: faults[detailCode].cause, isForeign: false }
    return { text: detail, isForeign: language !== 'en' && detail !== '' }
  }
}

/** What a kind of failure is called among the causes. */
const KINDS: Record<string, FaultCode> = {
  reconnect: 'accessWithdrawn',
  rateLimited: 'sourceLimited',
  unavailable: 'sourceUnavailable',
  badData: 'badData',
  internal: 'internal',
}

/** Why a run failed, in the language of the page; null where it did not. */
export function useRunFault(): (run: Pick<Run, 'errorKind'>) => string | null {
  const faults = useTexts(faultTexts).said
  return ({ errorKind }) => {
    const code = errorKind === null ? undefined : KINDS[errorKind]
    return code === undefined ? null : faults[code].cause
  }
}

/** Why a run began. */
export function useReason(): (reason: string) => string {
  const { reasons } = useTexts(toldTexts)
  return (reason) => find(reasons, reason) || reason
}

function find(names: Record<string, string>, name: string | number | undefined): string {
  return names[String(name)] ?? ''
}

function isFault(code: string | null, faults: Record<FaultCode, unknown>): code is FaultCode {
  return code !== null && Object.hasOwn(faults, code)
}
