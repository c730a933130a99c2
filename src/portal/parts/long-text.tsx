import { Code, Text } from '@mantine/core'
import { useFormats, useTexts } from '../texts/language/language.tsx'
import { common } from '../texts/pages/common.ts'

/** More of it would choke the page. */
const MAX_SHOWN = 30_000

/** A text of a program in a box of its own; where it is cut, the page says so. */
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
