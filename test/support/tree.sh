# A tree as hostile servers build it. Writes the pid of every member to the file $1, one a line, then waits.
pids=$1
echo $$ >>"$pids"

# an ordinary grandchild
sh -c 'echo $$ >>"$0"; exec sleep 600' "$pids" &

# one that ignores SIGTERM
sh -c 'trap "" TERM; echo $$ >>"$0"; while :; do sleep 1; done' "$pids" &

# one in a session of its own whose parent is gone
(setsid sh -c 'echo $$ >>"$0"; exec sleep 600' "$pids" &)

wait
