import { Button, type ButtonProps, Group, Modal, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import type { Problem } from '../../api/problem.ts'
import { useTexts } from '../../texts/language/language.tsx'
import { common } from '../../texts/pages/common.ts'
import { ProblemBox } from '../answers/problem-box.tsx'

interface ConfirmationProps {
  label: string
  title: string
  /** Consequences, and whether they can be undone. */
  question: ReactNode
  isDangerous?: boolean
  isBusy: boolean
  problem: Problem | null
}

interface ConfirmProps extends ConfirmationProps {
  onConfirm(done: () => void): void
  /** Accessible name of the button where its label alone is ambiguous. */
  name?: string
  button?: Pick<ButtonProps, 'size' | 'variant' | 'disabled'>
}

/** Button with a confirmation dialog. */
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
      <ConfirmDialog {...question} isOpen={isOpen} onClose={close} onConfirm={() => onConfirm(close)} />
    </>
  )
}

/** Confirmation dialog. */
export function ConfirmDialog({
  label,
  title,
  question,
  isDangerous = false,
  isBusy,
  problem,
  isOpen,
  onClose,
  onConfirm,
}: ConfirmationProps & { isOpen: boolean; onClose(): void; onConfirm(): void }) {
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
