import { useFormats, useTexts } from '../texts/language/language.tsx'
import { common } from '../texts/pages/common.ts'

/** Longer than the words of names, or an address. */
const ENDLESS = /\S{24}|\S@\S|:\/\//

/** Text that others wrote: shown as text, kept from turning its surroundings round, and cut where it is endless. */
export function Words({ children, most = 160 }: { children: string | number | null | undefined; most?: number }) {
  const text = String(children ?? '')
  const isCut = text.length > most
  return (
    <bdi className={ENDLESS.test(text) ? 'words endless' : 'words'} title={isCut ? text.slice(0, 1_000) : undefined}>
      {isCut ? `${text.slice(0, most)}…` : text}
    </bdi>
  )
}

/** An instant as its age, with the instant itself for those who point at it. */
export function When({ at }: { at: string | null | undefined }) {
  const formats = useFormats()
  const texts = useTexts(common)
  if (!at) return <span>{texts.never}</span>
  return (
    <time dateTime={at} title={formats.instant(at)}>
      {formats.age(at)}
    </time>
  )
}

/** An instant in full. */
export function Instant({ at }: { at: string | null | undefined }) {
  const formats = useFormats()
  const texts = useTexts(common)
  return at ? <time dateTime={at}>{formats.instant(at)}</time> : <span>{texts.never}</span>
}
