import { Button, type ButtonProps, Group, Modal, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import type { Problem } from '../api/problem.ts'
import { useTexts } from '../texts/language/language.tsx'
import { common } from '../texts/pages/common.ts'
import { ProblemBox } from './problem-box.tsx'

interface QuestionProps {
  label: string
  title: string
  /** What happens then, and whether it can be undone. */
  question: ReactNode
  isDangerous?: boolean
  isBusy: boolean
  problem: Problem | null
}

interface ConfirmProps extends QuestionProps {
  onConfirm(done: () => void): void
  /** The name of the button where its words do not tell what it is about. */
  name?: string
  button?: Pick<ButtonProps, 'size' | 'variant' | 'disabled'>
}

/** A button that asks once more. */
export function Confirm({ onConfirm, name, button, ...question }: ConfirmProps) {
  const { label, isDangerous = false } = question
  const [isOpen, setIsOpen] = useState(false)
  const close = () => setIsOpen(false)
  return (
    <>
      <Button
        size="xs"
        variant="default"
        {...button}
        aria-label={name}
        className={isDangerous ? 'danger' : undefined}
        onClick={() => setIsOpen(true)}
      >
        {label}
      </Button>
      <Question {...question} isOpen={isOpen} onClose={close} onConfirm={() => onConfirm(close)} />
    </>
  )
}

/** The dialog that asks once more. */
export function Question({
  label,
  title,
  question,
  isDangerous = false,
  isBusy,
  problem,
  isOpen,
  onClose,
  onConfirm,
}: QuestionProps & { isOpen: boolean; onClose(): void; onConfirm(): void }) {
  const texts = useTexts(common)
  return (
    <Modal opened={isOpen} onClose={onClose} title={title}>
      <Text component="div" size="sm" mb="md">
        {question}
      </Text>
      {problem && <ProblemBox problem={problem} />}
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={onClose} data-autofocus>
          {texts.cancel}
        </Button>
        <Button className={isDangerous ? 'danger-filled' : undefined} loading={isBusy} onClick={onConfirm}>
          {label}
        </Button>
      </Group>
    </Modal>
  )
}
