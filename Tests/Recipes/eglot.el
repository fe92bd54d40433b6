;; -*- lexical-binding: t -*-
;; Points at several words of fetcher.py, one right after the other, completes a name, and prints what Emacs shows.
(defvar told nil "What was shown of each word.")
(defvar patience-seconds 60)

(setq eglot-sync-connect t eglot-connect-timeout patience-seconds)
(find-file "fetcher.py")
;; What eglot-ensure does once Emacs is idle, which it never is here.
(apply #'eglot (eglot--guess-contact))

(defun point-at (word)
  "Asks what WORD is."
  (goto-char (point-min))
  (re-search-forward (format "\\_<%s\\_>" word))
  (backward-char)
  (eglot-hover-eldoc-function
   (lambda (text &rest _) (push (cons word (substring-no-properties (or text ""))) told))))

(mapc #'point-at '("asyncio" "logging" "argparse" "Fetcher"))
(with-timeout (patience-seconds (error "The last word is not explained"))
  (while (not (assoc "Fetcher" told)) (accept-process-output nil 0.05)))

(goto-char (point-max))
(insert "    asyncio.get_running_loop().run_in")
(let ((found (nth 2 (eglot-completion-at-point))))
  (princ (json-encode
          `((told . ,told)
            (offered . ,(all-completions "run_in" found))
            (lastError . ,(jsonrpc-last-error (eglot-current-server)))
            (messages . ,(with-current-buffer "*Messages*" (buffer-string)))))))
(princ "\n")
