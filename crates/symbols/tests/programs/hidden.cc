struct Hidden {
  int inside;
  long more;
};

int use_hidden(Hidden *hidden)
{
  return hidden ? hidden->inside : 0;
}
