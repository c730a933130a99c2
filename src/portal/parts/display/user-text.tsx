import { useFormats, useServiceName, useTexts } from '../../texts/language/language.tsx'
import { common } from '../../texts/pages/common.ts'

/** A word longer than those of names, or an address: it may break anywhere. */
const ENDLESS = /\S{24}|\S@\S|:\/\//

/** Untrusted text: isolated from the text direction of its surroundings, and truncated after `most` characters. */
export function UserText({ children, most = 160 }: { children: string | number | null | undefined; most?: number }) {
  const text = String(children ?? '')
  const isCut = text.length > most
  return (
    <bdi className={ENDLESS.test(text) ? 'words endless' : 'words'} title={isCut ? text.slice(0, 1_000) : undefined}>
      {isCut ? `${text.slice(0, most)}…` : text}
    </bdi>
  )
}

/** Name of a service, in the page's language. */
export function ServiceName({ children, most = 160 }: { children: string; most?: number }) {
  return <UserText most={most}>{useServiceName()(children)}</UserText>
}

/** Relative time; the instant is the tooltip. */
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

/** Date and time. */
export function Instant({ at }: { at: string | null | undefined }) {
  const formats = useFormats()
  const texts = useTexts(common)
  return at ? (
    <time className="instant" dateTime={at}>
      {formats.instant(at)}
    </time>
  ) : (
    <span>{texts.never}</span>
  )
}
