import { Code, Text } from '@mantine/core'
import { useFormats, useTexts } from '../../texts/language/language.tsx'
import { common } from '../../texts/pages/common.ts'

/** Longest text shown; more would slow the page down. */
const MAX_SHOWN = 30_000

/** Code block; says where it is truncated. */
export function LongText({ text }: { text: string }) {
  const texts = useTexts(common)
  const formats = useFormats()
  return (
    <>
      <Code block className="words tall" tabIndex={0}>
        {text.slice(0, MAX_SHOWN)}
      </Code>
      {text.length > MAX_SHOWN && (
        <Text size="sm" c="dimmed">
          {texts.cut(formats.number(MAX_SHOWN), formats.number(text.length))}
        </Text>
      )}
    </>
  )
}
