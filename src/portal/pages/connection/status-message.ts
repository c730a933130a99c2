import type { FaultCode, Run, TimelineEntry } from '../../api/generated/types.ts'
import { useLanguage, useTexts } from '../../texts/language/language.tsx'
import { faultTexts } from '../../texts/messages/faults.ts'
import { type MessageParts, statusMessages } from '../../texts/messages/status-messages.ts'
import { connectionTexts } from '../../texts/pages/connection.ts'

interface StatusMessage {
  text: string
  /** English on a French page. */
  isForeign: boolean
}

/** Message of a timeline entry in the page's language; the API's text without a translation. */
export function useStatusMessage(): (entry: Pick<TimelineEntry, 'detail' | 'detailCode' | 'detailParts'>) => StatusMessage {
  const { messages, reasons } = useTexts(statusMessages)
  const faults = useTexts(faultTexts).messages
  const { states } = useTexts(connectionTexts)
  const { language } = useLanguage()
  const byCode: Record<string, (parts: MessageParts) => string> = messages
  return ({ detail, detailCode, detailParts }) => {
    if (detailCode === 'run') {
      const { reason, state } = detailParts
      return { text: [find(states, state), find(reasons, reason)].filter(Boolean).join(' · '), isForeign: false }
    }
    const say = detailCode === null ? undefined : byCode[detailCode]
    if (say) return { text: say(detailParts), isForeign: false }
    if (isFault(detailCode, faults)) return { text: faults[detailCode].cause, isForeign: false }
    return { text: detail, isForeign: language !== 'en' && detail !== '' }
  }
}

/** Fault code of each kind of run error. */
const KINDS: Record<string, FaultCode> = {
  reconnect: 'accessWithdrawn',
  rateLimited: 'sourceLimited',
  unavailable: 'sourceUnavailable',
  badData: 'badData',
  internal: 'internal',
}

/** Why a run failed, in the page's language; null without a failure. */
export function useRunFault(): (run: Pick<Run, 'errorKind'>) => string | null {
  const faults = useTexts(faultTexts).messages
  return ({ errorKind }) => {
    const code = errorKind === null ? undefined : KINDS[errorKind]
    return code === undefined ? null : faults[code].cause
  }
}

/** Text for what started a run. */
export function useReason(): (reason: string) => string {
  const { reasons } = useTexts(statusMessages)
  return (reason) => find(reasons, reason) || reason
}

function find(names: Record<string, string>, name: string | number | undefined): string {
  return names[String(name)] ?? ''
}

function isFault(code: string | null, faults: Record<FaultCode, unknown>): code is FaultCode {
  return code !== null && Object.hasOwn(faults, code)
}
