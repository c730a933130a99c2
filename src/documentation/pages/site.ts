import { type Static, Type } from 'typebox'

const ServedFile = Type.Object({
  /** URL path, decoded. */
  path: Type.String(),
  /** File in the built folder; beside it lies one with `.gz`, unless it is an image. */
  file: Type.String(),
  type: Type.String(),
  etag: Type.String(),
  /** Whether the name holds a hash, so that its content never changes. */
  isImmutable: Type.Boolean(),
  /** Path of the same page as Markdown. */
  markdown: Type.Optional(Type.String()),
})

const Page = Type.Object({ title: Type.String(), path: Type.String() })
const Navigation = Type.Array(Type.Object({ title: Type.String(), pages: Type.Array(Page) }))

/** URL paths: style, the script of all pages, that of the reference, and the index of the search. */
const Assets = Type.Object({ style: Type.String(), script: Type.String(), reference: Type.String(), index: Type.String() })

/** Description of a built site, `site.json` in its folder. */
export const SiteDescription = Type.Object({ navigation: Navigation, assets: Assets, files: Type.Array(ServedFile) })

export type SiteDescription = Static<typeof SiteDescription>
export type ServedFile = Static<typeof ServedFile>
export interface NavigationPage extends Static<typeof Page> {
  /** Shown below it in the menu. */
  below?: readonly NavigationPage[]
}
export type Navigation = readonly { title: string; pages: readonly NavigationPage[] }[]
export type Assets = Static<typeof Assets>

/** Path of the page for unknown addresses, which is itself none. */
export const NOT_FOUND = 'not-found'
