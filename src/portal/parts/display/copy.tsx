import { Button, Code } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { useTexts } from '../../texts/language/language.tsx'
import { common } from '../../texts/pages/common.ts'

export function CopyButton({ text, label }: { text: string; label?: string }) {
  const texts = useTexts(common)
  const { copy, copied } = useClipboard()
  return (
    <Button size="xs" variant="default" onClick={() => copy(text)} aria-live="polite">
      {copied ? texts.copied : (label ?? texts.copy)}
    </Button>
  )
}

/** Text with a copy button, such as an address or a secret. */
export function Copyable({ text }: { text: string }) {
  return (
    <div className="copyable">
      <Code block className="words" tabIndex={0}>
        {text}
      </Code>
      <CopyButton text={text} />
    </div>
  )
}
