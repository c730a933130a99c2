import type { CSSProperties, ReactElement } from 'react'
import type { LinkEvents } from './countinghouse-link.d.ts'

export interface CountinghouseLinkProps {
  /** The link, as the API gave it. */
  href: string
  /** `en` or `fr`; that of the page when left out. */
  language?: 'en' | 'fr'
  className?: string
  style?: CSSProperties
  onOpened?: (detail: LinkEvents['opened']) => void
  onAgreed?: (detail: LinkEvents['agreed']) => void
  onLeft?: (detail: LinkEvents['left']) => void
  onFailed?: (detail: LinkEvents['failed']) => void
  onConnected?: (detail: LinkEvents['connected']) => void
}

export declare function CountinghouseLink(props: CountinghouseLinkProps): ReactElement
