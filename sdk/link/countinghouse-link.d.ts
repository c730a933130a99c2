/** What a `<countinghouse-link>` dispatches, with the `detail` of each event. */
export interface LinkEvents {
  /** The owner sees the link. */
  opened: Record<string, never>
  /** The owner agreed to the consent. */
  agreed: Record<string, never>
  /** The owner declined, here or at the source. */
  left: { reason: 'declined' }
  /** The link or the source has a problem; `address`: `href` is none, `blocked`: the frame was refused. */
  failed: { reason: string }
  connected: { connectionIds: string[] }
}

/** `<countinghouse-link href="…" language="fr">`: a link’s pages in a frame. */
export declare class CountinghouseLink extends HTMLElement {
  addEventListener<Name extends keyof LinkEvents>(
    type: Name,
    listener: (event: CustomEvent<LinkEvents[Name]>) => void,
    options?: boolean | AddEventListenerOptions,
  ): void
  addEventListener(type: string, listener: EventListenerOrEventListenerObject, options?: boolean | AddEventListenerOptions): void
}

declare global {
  interface HTMLElementTagNameMap {
    'countinghouse-link': CountinghouseLink
  }
}
