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

const Navigation = Type.Array(
  Type.Object({ title: Type.String(), pages: Type.Array(Type.Object({ title: Type.String(), path: Type.String() })) }),
)

const Assets = Type.Object({ style: Type.String(), reference: Type.String() })

/** Description of a built site, `site.json` in its folder. */
export const SiteDescription = Type.Object({ navigation: Navigation, assets: Assets, files: Type.Array(ServedFile) })

export type SiteDescription = Static<typeof SiteDescription>
export type ServedFile = Static<typeof ServedFile>
export type Navigation = Static<typeof Navigation>
export type Assets = Static<typeof Assets>

/** Path of the page for unknown addresses, which is itself none. */
export const NOT_FOUND = 'not-found'
